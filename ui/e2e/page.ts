// The page as it ships, built with the scripted backend and served with the app's own policy.
import { readFileSync } from 'node:fs';
import { build, preview } from 'vite';

/** Builds the page and serves it until `close`, on a port that is free. */
export async function servePage(): Promise<{ address: string; close: () => Promise<void> }> {
  const how = { mode: 'mock', logLevel: 'error', build: { outDir: 'e2e/page' } } as const;
  await build(how);
  const server = await preview({ ...how, preview: { host: '127.0.0.1', port: 0, headers: { 'Content-Security-Policy': policy() } } });
  return { address: server.resolvedUrls!.local[0]!, close: () => server.close() };
}

/** What the app lets its page do. */
function policy(): string {
  const config = JSON.parse(readFileSync(new URL('../../src-tauri/tauri.conf.json', import.meta.url), 'utf8'));
  const csp: Record<string, string> = config.app.security.csp;
  return Object.entries(csp).map(([what, from]) => `${what} ${from}`).join('; ');
}
