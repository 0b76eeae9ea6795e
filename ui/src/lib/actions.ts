// Every keyboard action of the window, in one list: the keys, and what buttons say of them.
import type { MainWindow } from './window.svelte';

export type ActionId = 'newChat' | 'stop' | 'composer' | 'find' | 'chat' | 'models' | 'compare' | 'calibrate' | 'train';

export type Action = {
  id: ActionId;
  /** Pressed together with ⌘ on a Mac and Ctrl elsewhere. */
  key: string;
  available: () => boolean;
  run: () => void;
};

const mac = /Mac/.test(navigator.userAgent);
const always = () => true;

export function actionsOf(window: MainWindow): readonly Action[] {
  return [
    { id: 'newChat', key: 'n', available: always, run: () => void window.newChat() },
    { id: 'stop', key: '.', available: () => window.chat.running, run: () => void window.chat.stop() },
    { id: 'composer', key: 'l', available: always, run: () => window.write() },
    { id: 'find', key: 'f', available: always, run: () => (window.wanted = 'find') },
    { id: 'chat', key: '1', available: always, run: () => (window.view = 'chat') },
    { id: 'models', key: '2', available: always, run: () => (window.view = 'models') },
    { id: 'compare', key: '3', available: always, run: () => (window.view = 'compare') },
    { id: 'calibrate', key: '4', available: always, run: () => (window.view = 'calibrate') },
    { id: 'train', key: '5', available: always, run: () => (window.view = 'train') },
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

/** An attachment: Escape anywhere inside the element, unless something in it takes it. */
export function escape(run: () => void): (element: HTMLElement) => () => void {
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    run();
  };
  return (element) => {
    element.addEventListener('keydown', pressed);
    return () => element.removeEventListener('keydown', pressed);
  };
}
