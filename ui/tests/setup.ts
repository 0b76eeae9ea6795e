import '@testing-library/jest-dom/vitest';
import { configure } from '@testing-library/svelte';

// A loaded machine is slow, not wrong.
configure({ asyncUtilTimeout: 10_000 });

// jsdom lays nothing out, so nothing changes its size.
globalThis.ResizeObserver ??= class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};
