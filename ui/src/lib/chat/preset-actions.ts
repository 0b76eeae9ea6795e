// What can be done with presets. Whatever that replaces or takes away comes back by Undo.
import type { Preset } from '../backend/backend';
import type { MainWindow } from '../window.svelte';

/** Puts its instructions and its settings in the place of those that there are. */
export function pickPreset({ chat, preferences, toasts }: MainWindow, { name, system, controls }: Preset): void {
  const { instructions, presets, selected } = chat;
  const before = { text: instructions.text, controls: preferences.controls };
  instructions.text = system;
  preferences.change({ controls });
  presets.picked = name;
  if (before.text.trim() === '' || before.text.trim() === system) return;
  toasts.show(`“${name}” has replaced the instructions.`, async () => {
    if (chat.selected !== selected) await chat.select(selected);
    instructions.text = before.text;
    preferences.change({ controls: before.controls });
  });
}

/** Keeps the instructions and the settings under a name. Rejects with the sentence to show. */
export async function savePreset({ chat, preferences, toasts }: MainWindow, name: string): Promise<void> {
  const { instructions, presets } = chat;
  const before = presets.named(name);
  await presets.save({ name: name.trim(), system: instructions.text.trim(), controls: preferences.controls });
  if (before) toasts.show(`Replaced the preset “${before.name}”.`, () => presets.save(before));
}

export async function removePreset({ chat: { presets }, toasts }: MainWindow, preset: Preset): Promise<void> {
  try {
    await presets.remove(preset.name);
    toasts.show(`Removed the preset “${preset.name}”.`, () => presets.save(preset));
  } catch (reason) {
    toasts.fail(reason);
  }
}
