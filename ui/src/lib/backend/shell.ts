// What surrounds the page: the machine, the system's menu, and how the window looks.
import type { About, Appearance, MemoryReserve, Menu, Storage } from '../bindings';

export type { About, Appearance, MemoryReserve, Menu, Storage } from '../bindings';

export interface Shell {
  /** What models take of this machine's disks, and what is free. */
  storage(): Promise<Storage>;
  memoryReserve(): Promise<MemoryReserve>;
  /** Sets what models leave alone of the memory, bytes; null goes back to the usual. */
  setMemoryReserve(bytes: number | null): Promise<MemoryReserve>;
  about(): Promise<About>;
  /** Opens the system's dialog for a file to save a report of this machine; the file, or null when it was dismissed. */
  saveDiagnostics(): Promise<string | null>;
  /** Shows these menus, the app's first and the help last, and tells the id of each action that is picked in them. */
  showMenus(menus: Menu[], onPicked: (id: string) => void): Promise<void>;
  /** Lets these actions be picked in the menus, and no others. */
  enableActions(ids: string[]): Promise<void>;
  /** Tells whether the page can be seen: while it cannot, nothing streams to it, and what happened meanwhile comes at once then. */
  seen(seen: boolean): Promise<void>;
  appearance(): Promise<Appearance>;
  setAppearance(appearance: Appearance): Promise<void>;
}
