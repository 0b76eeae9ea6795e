// What an action is, and what is made of all of them: the keys, the menu and the tooltips.
import type { Appearance, Menu } from './backend/shell';
import type { AnswerActionId } from './chat/answer-actions';
import type { ConversationAction } from './chat/conversation-actions';
import type { View } from './views';
import type { MainWindow } from './window.svelte';

export type ActionId =
  | ('newChat' | 'composer' | 'attach' | 'instructions' | 'savePreset' | 'find' | 'stop' | 'goOn')
  | ('addFolder' | 'getModel' | 'newComparison' | 'newCalibration' | 'newTraining')
  | ('about' | 'palette' | 'provenance' | 'shortcuts')
  | ConversationAction['id']
  | AnswerActionId
  | Appearance
  | View;

/** The menus, in the order of the menu bar: the app's first and the help last. */
const menus = ['Slipstream', 'Chat', 'Answer', 'Models', 'View', 'Help'] as const;

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

/** What is pressed in one place only. */
export type LocalKeys = { keys: string; does: string };

export const escaping: LocalKeys = { keys: 'Esc', does: 'Close what is open, and leave it as it was' };

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
