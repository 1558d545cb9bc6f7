/*
 * Shifts or stops the time of day of the real binary; loaded with LD_PRELOAD. The file CLOCK_OFF, which is mapped by both sides, has
 * two 8-byte numbers: an offset in seconds, and the epoch milliseconds at which the clock stands still, or 0. Monotonic clocks are
 * not changed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct { _Atomic int64_t seconds, stopped_at; } *off;

__attribute__((constructor)) static void begin(void) {
	const char *file = getenv("CLOCK_OFF");
	int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	void *mapped = mmap(NULL, sizeof *off, PROT_READ, MAP_SHARED, fd, 0);
	if (mapped != MAP_FAILED)
		off = mapped;
	close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
	static __typeof__(&clock_gettime) real;
	if (!real)
		real = (__typeof__(real))dlsym(RTLD_NEXT, "clock_gettime");
	int outcome = real(clock, time);
	if (off && outcome == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		*time = off->stopped_at == 0 ? (struct timespec){time->tv_sec + off->seconds, time->tv_nsec}
					     : (struct timespec){off->stopped_at / 1000, off->stopped_at % 1000 * 1000000};
	return outcome;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
	struct timespec now;
	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	time->tv_sec = now.tv_sec;
	time->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *result) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (result)
		*result = now.tv_sec;
	return now.tv_sec;
}
