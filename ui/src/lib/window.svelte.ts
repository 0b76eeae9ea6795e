import { createContext } from 'svelte';
import { type Action, actionsOf } from './actions';
import { type Backend, sentence } from './backend/backend';
import { Chat } from './chat/chat.svelte';
import { Models } from './models/models.svelte';
import { StoredPreferences } from './preferences.svelte';

export type View = 'chat' | 'models';

/** Everything the window shows, and where it stands. */
export class MainWindow {
  view = $state<View>('chat');
  /** The field that takes the keyboard as soon as it is there. */
  wanted = $state<'composer' | 'folder' | null>(null);
  started = $state(false);
  failure = $state<string | null>(null);

  readonly models: Models;
  readonly preferences: StoredPreferences;
  readonly chat: Chat;
  readonly actions: readonly Action[];

  constructor(backend: Backend) {
    this.models = new Models(backend);
    this.preferences = new StoredPreferences(backend);
    this.chat = new Chat(backend, this.models, this.preferences);
    this.actions = actionsOf(this);
  }

  async start(): Promise<void> {
    this.failure = null;
    try {
      await this.preferences.load();
    } catch (reason) {
      this.failure = sentence(reason);
      return;
    }
    this.started = true;
    await Promise.all([this.models.load(), this.chat.conversations.load()]);
    await this.chat.resume();
    this.wanted = 'composer';
  }

  write(): void {
    this.view = 'chat';
    this.wanted = 'composer';
  }

  async newChat(): Promise<void> {
    this.write();
    await this.chat.select(null);
  }

  async openConversation(id: number): Promise<void> {
    this.write();
    await this.chat.select(id);
  }

  addModelFolder(): void {
    this.view = 'models';
    this.wanted = 'folder';
  }

  /** The first target is picked by itself: there is no other choice to make. */
  modelAdded(id: string): void {
    const model = this.models.find(id);
    if (model?.role === 'target' && !this.chat.target) this.preferences.change({ target: id });
  }
}

export const [mainWindow, provideMainWindow] = createContext<MainWindow>();
