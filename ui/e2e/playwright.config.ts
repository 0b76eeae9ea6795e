import { defineConfig } from '@playwright/test';
import browser from './browser';

// Letters are drawn without the machine's hinting, so that a snapshot is the same on every Linux.
const args = ['--font-render-hinting=none', '--disable-lcd-text'];

export default defineConfig({
  testDir: '.',
  globalSetup: './setup.ts',
  outputDir: 'results',
  snapshotPathTemplate: '{testDir}/snapshots/{arg}{ext}',
  // Elsewhere the system draws letters in a way of its own.
  ignoreSnapshots: process.platform !== 'linux',
  fullyParallel: true,
  forbidOnly: true,
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 10_000, toHaveScreenshot: { maxDiffPixels: 20 } },
  use: {
    launchOptions: { executablePath: browser(), args },
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    contextOptions: { reducedMotion: 'reduce' },
  },
});
