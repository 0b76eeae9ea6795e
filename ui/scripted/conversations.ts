// The part of the scripted backend that is about conversations: the list, their branches, and finding what was said.
import type { Backend, Conversation, ConversationExport, Found, Message, Preset, Trace, UnsentMessage } from '../src/lib/backend/backend';
import { ScriptedComparison } from './comparison';

export class ScriptedConversations extends ScriptedComparison {
  talks: Conversation[] = [];
  removed: Conversation[] = [];
  /** The branch that each conversation shows. */
  written = new Map<number, Message[]>();
  exportedTalks: ConversationExport[] = [];
  unsent: UnsentMessage[] = [];
  kinds: Preset[] = [];
  /** What the rounds of answers did, by their messages. */
  traces = new Map<number, Trace[]>();
  /** What is not shown: from the message where it parts from another branch, by that message. */
  #hidden = new Map<number, Message[]>();

  async conversations(): Promise<Conversation[]> {
    return this.answer('conversations', this.talks.toSorted((a, b) => Number(b.pinned) - Number(a.pinned)));
  }

  renameConversation = async (id: number, title: string) => this.#change('renameConversation', id, { title });
  pinConversation = async (id: number, pinned: boolean) => this.#change('pinConversation', id, { pinned });
  setSystem = async (id: number, system: string) => this.#change('setSystem', id, { system: system.trim() });

  async tagConversation(id: number, tags: string[]): Promise<string[]> {
    const kept = [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
    this.#change('tagConversation', id, { tags: kept });
    return kept;
  }

  #change(call: keyof Backend & string, id: number, part: Partial<Conversation>): void {
    this.answer(call, null);
    this.talks = this.talks.map((talk) => (talk.id === id ? { ...talk, ...part } : talk));
  }

  async removeConversation(id: number): Promise<void> {
    this.answer('removeConversation', null);
    this.removed = [...this.talks.filter((talk) => talk.id === id), ...this.removed];
    this.talks = this.talks.filter((talk) => talk.id !== id);
  }

  removedConversations = async () => this.answer('removedConversations', this.removed);

  async restoreConversation(id: number): Promise<Conversation> {
    const back = this.removed.find((talk) => talk.id === id);
    if (!back) throw new Error(`There is no conversation ${id} among those that were removed.`);
    this.removed = this.removed.filter((talk) => talk !== back);
    this.talks = [...this.talks, back];
    return this.answer('restoreConversation', back);
  }

  async forgetConversation(id: number): Promise<void> {
    this.answer('forgetConversation', null);
    this.removed = this.removed.filter((talk) => talk.id !== id);
  }

  messages = async (id: number) => this.answer('messages', this.written.get(id) ?? []);

  async rounds(message: number): Promise<Trace[] | null> {
    return this.answer('rounds', this.traces.get(message) ?? null);
  }

  async showBranch(message: number): Promise<Message[]> {
    const hidden = [...this.#hidden.values()].find((branch) => branch.some(({ id }) => id === message));
    const within = ({ id }: Message) => (hidden ? hidden[0]!.siblings.includes(id) : id === message);
    for (const [talk, shown] of this.written) {
      const at = shown.findIndex(within);
      if (at >= 0) return this.answer('showBranch', hidden ? this.put(talk, at, hidden) : shown);
    }
    throw new Error(`There is no message ${message}.`);
  }

  /** Shows other messages from a place on; what stood there is a branch that is not shown. The whole branch. */
  protected put(talk: number, at: number, messages: Message[]): Message[] {
    const shown = this.written.get(talk) ?? [];
    const [old, first] = [shown.slice(at), messages[0]!];
    if (old[0]) this.#hidden.set(old[0].id, old);
    this.#hidden.delete(first.id);
    const siblings = [...new Set([...(old[0]?.siblings ?? []), first.id])].toSorted((a, b) => a - b);
    for (const each of [first, ...this.#beginnings(siblings)]) each.siblings = siblings;
    const branch = [...shown.slice(0, at), ...messages];
    this.written.set(talk, branch);
    return branch;
  }

  #beginnings(ids: number[]): Message[] {
    return ids.flatMap((id) => this.#hidden.get(id)?.slice(0, 1) ?? []);
  }

  async search(text: string): Promise<Found[]> {
    const word = text.trim().toLowerCase();
    const passages = (message: number | null, all: string) => {
      const at = all.toLowerCase().indexOf(word);
      if (at < 0) return [];
      const pieces = [all.slice(0, at), all.slice(at, at + word.length), all.slice(at + word.length)];
      return [{ message, pieces: pieces.map((text, number) => ({ text, matches: number === 1 })).filter(({ text }) => text !== '') }];
    };
    const found = this.talks.map((talk) => {
      const said = (this.written.get(talk.id) ?? []).flatMap(({ id, text }) => passages(id, text));
      return { conversation: talk, passages: [...passages(null, talk.title), ...said].slice(0, 3) };
    });
    return this.answer('search', word === '' ? [] : found.filter(({ passages }) => passages.length > 0));
  }

  unsentMessages = async () => this.answer('unsentMessages', this.unsent);

  async keepUnsentMessage(message: UnsentMessage): Promise<void> {
    this.answer('keepUnsentMessage', null);
    const others = this.unsent.filter(({ conversation }) => conversation !== message.conversation);
    const nothing = message.text === '' && message.attachments.length === 0 && message.system === '';
    this.unsent = nothing ? others : [...others, structuredClone(message)];
  }

  async exportConversation(id: number, what: ConversationExport): Promise<string | null> {
    this.exportedTalks.push(what);
    return this.answer('exportConversation', `/documents/${id}.${what === 'json' ? 'json' : 'md'}`);
  }

  presets = async () => this.answer('presets', this.kinds);

  async savePreset(preset: Preset): Promise<Preset[]> {
    this.answer('savePreset', null);
    const at = this.kinds.findIndex(({ name }) => name.toLowerCase() === preset.name.toLowerCase());
    this.kinds = at < 0 ? [...this.kinds, structuredClone(preset)] : this.kinds.with(at, structuredClone(preset));
    return this.kinds;
  }

  async removePreset(name: string): Promise<Preset[]> {
    this.kinds = this.kinds.filter((kind) => kind.name !== name);
    return this.answer('removePreset', this.kinds);
  }
}
