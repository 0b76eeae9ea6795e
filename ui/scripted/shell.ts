// The part of the scripted backend that is about what surrounds the page: the machine, the menu, the window's looks.
import type { About, Appearance, MemoryReserve, Menu, Shell, Storage } from '../src/lib/backend/shell';
import { ScriptedConversations } from './conversations';

export class ScriptedShell extends ScriptedConversations implements Shell {
  disk: Storage = { folder: '/Volumes/Data/slipstream', kept: 21_300_000_000, elsewhere: 8_100_000_000, trash: 540_000_000, free: 312_000_000_000 };
  reserved: MemoryReserve = { physical: 34_359_738_368, set: null, usual: 5_153_960_755 };
  worn: Appearance = 'system';
  /** The file that a report is saved in. */
  reportedTo: string | null = null;
  menus: Menu[] = [];
  enabled: string[] = [];
  /** Whether the page can be seen. */
  isSeen = true;
  /** Picks an action in the menu. */
  pickInMenu: (id: string) => void = () => {};

  storage = async () => this.answer('storage', this.disk);
  memoryReserve = async () => this.answer('memoryReserve', this.reserved);
  about = async (): Promise<About> => this.answer('about', { version: '0.1.0', licence: 'MIT OR Apache-2.0', system: 'macOS, aarch64', processor: 'Apple M4 Pro' });
  saveDiagnostics = async () => this.answer('saveDiagnostics', this.reportedTo);
  appearance = async () => this.answer('appearance', this.worn);

  async seen(seen: boolean): Promise<void> {
    this.isSeen = this.answer('seen', seen);
  }

  async setMemoryReserve(bytes: number | null): Promise<MemoryReserve> {
    this.answer('setMemoryReserve', null);
    this.reserved = { ...this.reserved, set: bytes };
    return this.reserved;
  }

  async setAppearance(appearance: Appearance): Promise<void> {
    this.worn = this.answer('setAppearance', appearance);
  }

  async showMenus(menus: Menu[], onPicked: (id: string) => void): Promise<void> {
    this.menus = this.answer('showMenus', menus);
    this.pickInMenu = onPicked;
  }

  async enableActions(ids: string[]): Promise<void> {
    this.enabled = this.answer('enableActions', ids);
  }
}
