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

// jsdom opens no dialogs.
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
  this.open = false;
};
