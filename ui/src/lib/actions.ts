// Every keyboard action of the window, in one list: the keys, the labels beside buttons and the tooltips read from it.
import type { MainWindow } from './window.svelte';

export type ActionId = 'newChat' | 'stop' | 'composer' | 'chat' | 'models';

export type Action = {
  id: ActionId;
  title: string;
  /** Pressed together with ⌘ on a Mac and Ctrl elsewhere. */
  key: string;
  available: () => boolean;
  run: () => void;
};

const mac = /Mac/.test(navigator.userAgent);
const always = () => true;

export function actionsOf(window: MainWindow): readonly Action[] {
  return [
    { id: 'newChat', title: 'New chat', key: 'n', available: always, run: () => void window.newChat() },
    { id: 'stop', title: 'Stop', key: '.', available: () => window.chat.running, run: () => void window.chat.stop() },
    { id: 'composer', title: 'Write a message', key: 'l', available: always, run: () => window.write() },
    { id: 'chat', title: 'Chat', key: '1', available: always, run: () => (window.view = 'chat') },
    { id: 'models', title: 'Models', key: '2', available: always, run: () => (window.view = 'models') },
  ];
}

/** Runs the action of these keys, if there is one and it can run now. */
export function press(actions: readonly Action[], event: KeyboardEvent): void {
  const modified = mac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (!modified || event.altKey || event.shiftKey) return;
  const action = actions.find(({ key }) => key === event.key.toLowerCase());
  if (!action) return;
  event.preventDefault();
  if (action.available()) action.run();
}

export function keysOf(actions: readonly Action[], id: ActionId): string {
  const key = actions.find((action) => action.id === id)?.key.toUpperCase() ?? '';
  return mac ? `⌘${key}` : `Ctrl ${key}`;
}
