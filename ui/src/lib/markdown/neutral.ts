// Characters that would change how other text is read are shown, not obeyed.

/** Hints of direction: each block finds its own. */
const marks = /[\u061C\u200E\u200F]/g;
// A flag may be spelt in tags; what it spells is seen.
const flag = '\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F}';
const hidden = '[\\0-\\x08\\x0B-\\x1F\\x7F-\\x9F\\u2028-\\u202E\\u2060-\\u206F\\uFEFF\\uFFF9-\\uFFFB\u{E0000}-\u{E007F}]';
const unseen = new RegExp(`${flag}|${hidden}`, 'gu');

/** The text with its control characters, and those that turn the direction, replaced by their names. */
export function neutral(text: string): string {
  return text.replace(marks, '').replace(unseen, (found) => (found.length > 2 ? found : named(found.codePointAt(0)!)));
}

function named(code: number): string {
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
