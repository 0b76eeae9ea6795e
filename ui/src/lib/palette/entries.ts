// What the palette finds: what can be done now, every conversation, preset and model.
import uFuzzy from '@leeoniya/ufuzzy';
import { combined } from '../actions';
import { pickPreset } from '../chat/preset-actions';
import type { MainWindow } from '../window.svelte';

export type Entry = {
  id: string;
  title: string;
  /** What kind of thing it is. */
  kind: string;
  /** The keys that do the same. */
  keys: string | null;
  run: () => void;
};

/** So many are shown. Whoever wants another one writes more of it. */
const most = 50;

// A word may have one slip of the finger; words may stand in any order, in any script.
const fuzzy = new uFuzzy({
  unicode: true,
  interSplit: "[^\\p{L}\\d']+",
  intraSplit: '\\p{Ll}\\p{Lu}',
  intraBound: '\\p{L}\\d|\\d\\p{L}|\\p{Ll}\\p{Lu}',
  intraChars: "[\\p{L}\\d']",
  intraContr: "'\\p{L}{1,2}\\b",
  intraMode: 1,
});

export function entriesOf(window: MainWindow): Entry[] {
  const { actions, chat, models } = window;
  const doable = actions.filter(({ id, available }) => id !== 'palette' && available());
  const use = (title: string, kind: string, part: Parameters<typeof chat.pick>[0]) => ({
    id: `${kind} ${JSON.stringify(part)}`,
    title,
    kind,
    keys: null,
    run: () => {
      window.write();
      chat.pick(part);
    },
  });
  return [
    ...doable.map(({ id, title, menu, keys, run }) => ({ id, title, kind: menu, keys: keys[0] ? combined(keys[0]) : null, run })),
    ...chat.conversations.all.map(({ id, title }) => ({
      id: `conversation ${id}`,
      title,
      kind: 'Conversation',
      keys: null,
      run: () => void window.openConversation(id),
    })),
    ...chat.presets.all.map((preset) => ({
      id: `preset ${preset.name}`,
      title: preset.name,
      kind: 'Use preset',
      keys: null,
      run: () => {
        window.write();
        pickPreset(window, preset);
      },
    })),
    ...models.targets.filter(({ broken }) => broken === null).map(({ id }) => use(models.name(id), 'Use as target', { target: id })),
    ...models.drafters.filter(({ broken }) => broken === null).map(({ id }) => use(models.name(id), 'Use as drafter', { drafter: id })),
    use('No drafter: plain decoding', 'Use as drafter', { drafter: null }),
  ];
}

/** Those that match the text, the best first; all of them if there is none. */
export function matching(entries: readonly Entry[], text: string): Entry[] {
  const wanted = text.trim();
  if (wanted === '') return entries.slice(0, most);
  const [found, info, order] = fuzzy.search(entries.map(({ title, kind }) => `${title} ${kind}`), wanted, 3);
  const best = info && order ? order.map((place) => info.idx[place]) : found;
  return (best ?? []).flatMap((place) => entries[place ?? -1] ?? []).slice(0, most);
}
