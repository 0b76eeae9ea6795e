// What runs in the page to measure it, and what is made of it.
import type { CDPSession, Page } from '@playwright/test';

/** Milliseconds. */
export type Spread = { count: number; p50: number; p95: number; p99: number; most: number };

export function spread(all: readonly number[]): Spread {
  const sorted = all.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN) * 10) / 10;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), most: at(1) };
}

declare global {
  interface Window {
    measured: { ready: number | null; inputs: number[]; events: number[]; timers: number; frames: number };
  }
}

/** Begins to measure in every page that is opened from now on. */
export async function measure(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const measured: Window['measured'] = (window.measured = { ready: null, inputs: [], events: [], timers: 0, frames: 0 });
    // Usable is a window whose composer has the keyboard, once that is on the screen.
    addEventListener('focusin', ({ target }) => {
      if (target instanceof HTMLTextAreaElement) painted((now) => (measured.ready ??= now));
    });
    addEventListener('keydown', ({ timeStamp }) => painted((now) => measured.inputs.push(now - timeStamp)), { capture: true });
    // The browser's own view of the same, in steps of 8 ms.
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') measured.events.push(duration);
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
    const [frame, timeout, interval] = [requestAnimationFrame, setTimeout, setInterval];
    window.requestAnimationFrame = (run) => ((measured.frames += 1), frame(run));
    window.setTimeout = ((...all: Parameters<typeof setTimeout>) => ((measured.timers += 1), timeout(...all))) as typeof setTimeout;
    window.setInterval = ((...all: Parameters<typeof setInterval>) => ((measured.timers += 1), interval(...all))) as typeof setInterval;

    // A message that is sent in a frame comes after it has been drawn.
    function painted(then: (now: number) => void): void {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => then(performance.now());
      frame(() => port2.postMessage(null));
    }
  });
}

/** Seconds of work since the page was opened. */
export type Work = { script: number; layout: number; style: number; task: number; frames: number; timers: number };

export async function work(page: Page, cdp: CDPSession): Promise<Work> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const of = (wanted: string) => metrics.find(({ name }) => name === wanted)!.value;
  const { frames, timers } = await page.evaluate(() => window.measured);
  return { script: of('ScriptDuration'), layout: of('LayoutDuration'), style: of('RecalcStyleDuration'), task: of('TaskDuration'), frames, timers };
}

/** What is held after everything that can go is gone: megabytes of objects, and nodes in the page. */
export async function held(cdp: CDPSession): Promise<{ megabytes: number; nodes: number }> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  const { nodes } = await cdp.send('Memory.getDOMCounters');
  return { megabytes: Math.round(usedSize / 1e5) / 10, nodes };
}

/** Milliseconds between one frame and the next while the conversation is scrolled up, so many pixels a frame. */
export function scrolling(page: Page, frames: number, pixels: number): Promise<number[]> {
  return page.evaluate(
    async ([frames, pixels]) => {
      const scroller = document.querySelector('.scroller')!;
      const times: number[] = [];
      const next = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
      let before = await next();
      for (let at = 0; at < frames!; at += 1) {
        scroller.scrollTop -= pixels!;
        const now = await next();
        times.push(now - before);
        before = now;
      }
      return times;
    },
    [frames, pixels],
  );
}
