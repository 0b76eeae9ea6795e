// The real app, on Linux, as WebKit's driver starts it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const port = 4567;

/** Milliseconds from when the app is started until its window can be used, several times over; the first start is cold. */
export async function appStarts(binary: string, times: number): Promise<number[]> {
  const home = mkdtempSync(join(tmpdir(), 'slipstream-'));
  const env = { ...process.env, SLIPSTREAM_HOME: home, HOME: home, SLIPSTREAM_KEYCHAIN: 'off', TAURI_WEBVIEW_AUTOMATION: 'true' };
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], { env, stdio: 'ignore' });
  try {
    await new Promise((resolve, reject) => driver.once('spawn', resolve).once('error', reject));
    await patiently(() => ask('GET', '/status'));
    const all: number[] = [];
    while (all.length < times) {
      const begin = performance.now();
      const options = { 'webkitgtk:browserOptions': { binary, args: [] } };
      const { sessionId } = await ask('POST', '/session', { capabilities: { alwaysMatch: options } });
      await patiently(() => ask('POST', `/session/${sessionId}/element`, { using: 'css selector', value: '.sidebar' }));
      all.push(performance.now() - begin);
      await ask('DELETE', `/session/${sessionId}`);
    }
    return all;
  } finally {
    driver.kill();
    // What the app has just been told to end may still write.
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

async function ask(method: string, path: string, body?: unknown): Promise<{ sessionId: string }> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const { value } = (await reply.json()) as { value: { sessionId: string; message?: string } };
  if (!reply.ok) throw new Error(value.message);
  return value;
}

/** Tries again until it works, for a minute at most. */
async function patiently<T>(run: () => Promise<T>): Promise<T> {
  const end = performance.now() + 60_000;
  for (;;) {
    try {
      return await run();
    } catch (reason) {
      if (performance.now() > end) throw reason;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
