// Which Chromium the window is tested in: `npm run browser` prints it, or says what to do.
import { chromium } from '@playwright/test';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const apps = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium'];

/** The path of the one that CHROMIUM names, else of the system's, else of Playwright's own. Throws where there is none. */
export default function browser(): string {
  const named = process.env['CHROMIUM'];
  if (named) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const onPath = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const found = [...onPath, ...apps, chromium.executablePath()].find((place) => existsSync(place));
  if (found) return found;
  throw new Error('There is no Chromium to test the window in: install one, run `npx playwright install chromium` in ui, or set CHROMIUM to its path.');
}
