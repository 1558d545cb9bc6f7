// Pausing and stopping of work that runs in steps.

export class Gate {
  isStopped = false;
  private isPaused = false;
  private wake: (() => void)[] = [];

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.wakeAll();
  }

  stop(): void {
    this.isStopped = true;
    this.resume();
  }

  /** Waits while it is paused. Returns false if the work has to end. */
  async pass(): Promise<boolean> {
    while (this.isPaused && !this.isStopped) await new Promise<void>((done) => this.wake.push(done));
    return !this.isStopped;
  }

  /** Waits for a time, or until it is stopped. */
  async sleep(milliseconds: number): Promise<void> {
    if (this.isStopped) return;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, milliseconds);
      this.wake.push(() => {
        clearTimeout(timer);
        done();
      });
    });
  }

  private wakeAll(): void {
    const waiting = this.wake;
    this.wake = [];
    for (const wake of waiting) wake();
  }
}
