import { tick } from 'svelte';

/** Changes something; the seconds that this takes until it is on screen, but for the time in which the page waits for the next frame. */
export async function drawing(change: () => void): Promise<number> {
  const begin = performance.now();
  change();
  await tick();
  const applied = performance.now() - begin;
  const painted = document.hidden ? 0 : await nextFrame();
  return (applied + painted) / 1000;
}

/** How long the page takes for its next frame, milliseconds. */
function nextFrame(): Promise<number> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      const begin = performance.now();
      const { port1, port2 } = new MessageChannel();
      // It comes as soon as the frame is out.
      port1.onmessage = () => {
        port1.close();
        resolve(performance.now() - begin);
      };
      port2.postMessage(null);
    });
  });
}
