// Everything that one can do from anywhere in the window, in one list: the keys, the palette, the menu, the sheet of
// shortcuts and the tooltips are made of it.
import type { Menu } from './backend/shell';
import { type View, views } from './views';
import type { MainWindow } from './window.svelte';

export type ActionId = 'about' | 'newChat' | 'composer' | 'find' | 'stop' | 'goOn' | 'addFolder' | 'getModel' | 'palette' | 'provenance' | 'shortcuts' | View;

/** The menus, in the order of the menu bar: the app's first and the help last. */
const menus = ['Slipstream', 'Chat', 'Models', 'View', 'Help'] as const;

export type Action = {
  id: ActionId;
  /** An ellipsis says that something will be asked first. */
  title: string;
  menu: (typeof menus)[number];
  /** Each is pressed together with ⌘ on a Mac and Ctrl elsewhere; the first is the one that is shown. */
  keys: readonly string[];
  available: () => boolean;
  run: () => void;
};

const mac = /Mac/.test(navigator.userAgent);
const always = () => true;

export function actionsOf(window: MainWindow): readonly Action[] {
  const go = ({ view, title, key }: (typeof views)[number]): Action => ({
    id: view,
    title,
    menu: 'View',
    keys: [key],
    available: always,
    run: () => (window.view = view),
  });
  return [
    { id: 'newChat', title: 'New chat', menu: 'Chat', keys: ['n'], available: always, run: () => void window.newChat() },
    { id: 'composer', title: 'Write a message', menu: 'Chat', keys: ['l'], available: always, run: () => window.write() },
    { id: 'find', title: 'Search conversations', menu: 'Chat', keys: ['f'], available: always, run: () => (window.wanted = 'find') },
    { id: 'stop', title: 'Stop the answer', menu: 'Chat', keys: ['.'], available: () => window.chat.running, run: () => void window.chat.stop() },
    { id: 'goOn', title: 'Continue the answer', menu: 'Chat', keys: [], available: () => window.chat.idle && window.chat.unfinished !== null, run: () => void window.chat.goOn() },
    { id: 'palette', title: 'Find anything…', menu: 'View', keys: ['k'], available: always, run: () => window.toggle('palette') },
    { id: 'provenance', title: 'Show or hide provenance', menu: 'View', keys: ['p'], available: () => window.view === 'chat', run: () => void window.chat.toggleProvenance() },
    ...views.filter(({ view }) => view !== 'settings').map(go),
    { id: 'addFolder', title: 'Add a model folder…', menu: 'Models', keys: [], available: always, run: () => window.addModelFolder() },
    { id: 'getModel', title: 'Find a model to download…', menu: 'Models', keys: [], available: always, run: () => window.getModel() },
    { id: 'about', title: 'About Slipstream', menu: 'Slipstream', keys: [], available: always, run: () => window.about() },
    { id: 'settings', title: 'Settings…', menu: 'Slipstream', keys: [',', '6'], available: always, run: () => (window.view = 'settings') },
    { id: 'shortcuts', title: 'Keyboard shortcuts', menu: 'Help', keys: ['/'], available: always, run: () => window.toggle('shortcuts') },
  ];
}

/** Keys that do something in one place only. */
export const localKeys = [
  { keys: 'Enter', does: 'Send the message' },
  { keys: 'Shift Enter', does: 'Start a new line in the message' },
  { keys: '← → ↑ ↓', does: 'Among an answer’s tokens: to the next token, and to the next round' },
  { keys: 'F2', does: 'Rename the conversation that has the focus' },
  { keys: 'Delete', does: 'Delete the conversation that has the focus' },
  { keys: 'Esc', does: 'Close what is open, and leave it as it was' },
] as const;

/** Runs the action of these keys, if there is one and it can run now. */
export function press(window: MainWindow, event: KeyboardEvent): void {
  const modified = mac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  const key = event.key.toLowerCase();
  // There are keyboards where a sign or a digit is typed with Shift.
  if (!modified || event.altKey || (event.shiftKey && /^[a-z]$/.test(key))) return;
  const action = window.actions.find(({ keys }) => keys.includes(key));
  if (!action) return;
  event.preventDefault();
  perform(window, action.id);
}

/** Runs an action if it can run now, whoever asks for it. */
export function perform(window: MainWindow, id: string): void {
  const action = window.actions.find((action) => action.id === id);
  if (!window.started || !action?.available()) return;
  if (action.id !== window.sheet) window.sheet = null;
  action.run();
}

/** The menus of the menu bar. */
export function menusOf(actions: readonly Action[]): Menu[] {
  return menus.map((title) => ({
    title,
    actions: actions
      .filter(({ menu }) => menu === title)
      .map(({ id, title, keys, available }) => ({ id, title, key: keys[0] ?? null, available: available() })),
  }));
}

/** What is pressed together with ⌘ or Ctrl, as it is written here. */
export function combined(key: string): string {
  return mac ? `⌘${key.toUpperCase()}` : `Ctrl ${key.toUpperCase()}`;
}

/** The keys of an action; nothing if it has none. */
export function keysOf(actions: readonly Action[], id: ActionId): string {
  const key = actions.find((action) => action.id === id)?.keys[0];
  return key === undefined ? '' : combined(key);
}

/** What a button of an action says when somebody points at it. */
export function tipOf(actions: readonly Action[], id: ActionId): string {
  const title = actions.find((action) => action.id === id)?.title ?? '';
  const keys = keysOf(actions, id);
  return keys === '' ? title : `${title} (${keys})`;
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
