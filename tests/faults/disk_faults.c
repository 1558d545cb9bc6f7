/*
 * Injects disk faults into the real binary; loaded with LD_PRELOAD by tests/it/faults/disk_faults.rs. The N-th call that changes
 * a file below the directory FAULT_DIR fails, kills the process, or never returns. The order and its result are in the file FAULT_ORDER, which is
 * mapped by both sides: six 8-byte numbers in the order of `struct order`. Calls on other files are passed on; if FAULT_SENDS is
 * set, calls of send() count as well.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define HOLD UINT64_MAX

struct order {
	_Atomic uint64_t calls; /* since the order was given */
	_Atomic uint64_t hits;  /* calls that failed */
	_Atomic uint64_t at;    /* the call that fails; 0 for none */
	_Atomic uint64_t error; /* its errno; 0 kills the process, and HOLD stops the calling thread for ever */
	_Atomic uint64_t is_permanent; /* whether all later calls fail too */
	_Atomic uint64_t torn;  /* whether half of the bytes are written before it fails */
};

static struct order *order;
static char directory[PATH_MAX];
static int counts_sends;

__attribute__((constructor)) static void begin(void) {
	const char *dir = getenv("FAULT_DIR"), *file = getenv("FAULT_ORDER");
	if (!dir || !file)
		return;
	snprintf(directory, sizeof directory, "%s/", dir);
	counts_sends = getenv("FAULT_SENDS") != NULL;
	int fd = open(file, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	void *mapped = mmap(NULL, sizeof *order, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapped != MAP_FAILED)
		order = mapped;
	close(fd);
}

static int is_watched_path(const char *path) {
	return order && path && strncmp(path, directory, strlen(directory)) == 0;
}

static int is_watched_fd(int fd) {
	if (!order)
		return 0;
	char link[32], path[PATH_MAX];
	int saved = errno;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, sizeof path - 1);
	errno = saved;
	if (length < 0)
		return 0;
	path[length] = 0;
	return is_watched_path(path);
}

/* Counts a call; returns whether it fails. */
static int must_fail(void) {
	uint64_t number = atomic_fetch_add(&order->calls, 1) + 1, at = order->at;
	if (at == 0 || number < at || (number > at && !order->is_permanent))
		return 0;
	atomic_fetch_add(&order->hits, 1);
	return 1;
}

static int fail(void) {
	if (order->error == 0)
		kill(getpid(), SIGKILL);
	while (order->error == HOLD)
		pause();
	errno = (int)order->error;
	return -1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t count) {
	static __typeof__(&write) real;
	if (!real)
		real = REAL(write);
	if (!is_watched_fd(fd) || !must_fail())
		return real(fd, bytes, count);
	if (order->torn)
		(void)!real(fd, bytes, count / 2);
	return fail();
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
	static __typeof__(&writev) real;
	if (!real)
		real = REAL(writev);
	if (!is_watched_fd(fd) || !must_fail())
		return real(fd, parts, count);
	if (order->torn)
		(void)!real(fd, parts, count / 2);
	return fail();
}

ssize_t send(int fd, const void *bytes, size_t count, int flags) {
	static __typeof__(&send) real;
	if (!real)
		real = REAL(send);
	if (!order || !counts_sends || !must_fail())
		return real(fd, bytes, count, flags);
	if (order->torn)
		(void)!real(fd, bytes, count / 2, flags);
	return fail();
}

#define PWRITE(name, offset_type)                                                      \
	ssize_t name(int fd, const void *bytes, size_t count, offset_type offset) {    \
		static __typeof__(&name) real;                                         \
		if (!real)                                                             \
			real = REAL(name);                                             \
		if (!is_watched_fd(fd) || !must_fail())                                      \
			return real(fd, bytes, count, offset);                         \
		if (order->torn)                                                       \
			(void)!real(fd, bytes, count / 2, offset);                     \
		return fail();                                                       \
	}
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

/* These calls have no torn form. */
#define ON_FILE(name, parameters, arguments)                \
	int name parameters {                               \
		static __typeof__(&name) real;              \
		if (!real)                                  \
			real = REAL(name);                  \
		if (is_watched_fd(fd) && must_fail())             \
			return fail();                    \
		return real arguments;                      \
	}
ON_FILE(fsync, (int fd), (fd))
ON_FILE(fdatasync, (int fd), (fd))
ON_FILE(ftruncate, (int fd, off_t length), (fd, length))
ON_FILE(ftruncate64, (int fd, off64_t length), (fd, length))

#define ON_PATHS(name, parameters, arguments)               \
	int name parameters {                               \
		static __typeof__(&name) real;              \
		if (!real)                                  \
			real = REAL(name);                  \
		if (is_watched_path(to) && must_fail())                 \
			return fail();                    \
		return real arguments;                      \
	}
ON_PATHS(rename, (const char *from, const char *to), (from, to))
ON_PATHS(renameat, (int from_dir, const char *from, int to_dir, const char *to), (from_dir, from, to_dir, to))
ON_PATHS(renameat2, (int from_dir, const char *from, int to_dir, const char *to, unsigned int flags),
         (from_dir, from, to_dir, to, flags))
ON_PATHS(link, (const char *from, const char *to), (from, to))
ON_PATHS(linkat, (int from_dir, const char *from, int to_dir, const char *to, int flags),
         (from_dir, from, to_dir, to, flags))

#define COPY(name, parameters, arguments)                   \
	ssize_t name parameters {                           \
		static __typeof__(&name) real;              \
		if (!real)                                  \
			real = REAL(name);                  \
		if (is_watched_fd(fd) && must_fail())             \
			return fail();                    \
		return real arguments;                      \
	}
COPY(copy_file_range, (int from, off64_t *from_at, int fd, off64_t *to_at, size_t count, unsigned int flags),
     (from, from_at, fd, to_at, count, flags))
