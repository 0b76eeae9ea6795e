// The worker that colours code.
import { paint } from './paint';
import type { Order, Reply } from './highlight';

self.onmessage = async ({ data }: MessageEvent<Order>) => {
  const reply = (runs: Reply) => self.postMessage(runs);
  try {
    await paint(data, reply);
  } catch {
    reply(null);
  }
};
