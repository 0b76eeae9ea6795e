import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript';
import { type CodeToTokensBaseOptions, codeToTokensBase, createShikiPrimitive, getLastGrammarState, type ThemedToken } from '@shikijs/primitive';
import { grammars } from './grammars';
import type { Kind, Order, Run } from './highlight';
import { neutral } from './neutral';

/** What of a grammar's scopes makes a difference. A later line counts more. */
const scopes: [Kind, string[]][] = [
  ['keyword', ['keyword', 'storage', 'variable.language', 'entity.name.tag', 'support.type.property-name', 'markup.heading']],
  ['plain', ['keyword.operator', 'punctuation', 'meta.brace', 'storage.type.function.arrow']],
  ['keyword', ['keyword.operator.new', 'keyword.operator.expression', 'keyword.operator.logical.python', 'keyword.operator.word']],
  ['literal', ['constant', 'support.constant', 'keyword.other.unit']],
  ['string', ['string', 'punctuation.definition.string', 'constant.character.escape']],
  ['plain', ['meta.embedded', 'meta.interpolation', 'meta.template.expression']],
  ['comment', ['comment', 'punctuation.definition.comment']],
  ['inserted', ['markup.inserted', 'punctuation.definition.inserted']],
  ['deleted', ['markup.deleted', 'punctuation.definition.deleted']],
];

// The kinds stand where a theme has its colours.
const theme = {
  name: 'kinds',
  type: 'light' as const,
  settings: [
    { settings: { foreground: 'plain', background: 'none' } },
    ...scopes.map(([kind, scope]) => ({ scope, settings: { foreground: kind } })),
  ],
};

// The engine in JavaScript: the page's policy forbids the other, which is WebAssembly.
const primitive = createShikiPrimitive({ themes: [theme], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) });

/** Colours one part after the other, as text that goes on; a very long line stays plain. Rejects if that cannot be done. */
export async function paint({ language, parts }: Order, onPart: (runs: readonly Run[]) => void): Promise<void> {
  // What a grammar needs comes before it.
  const { default: grammar } = await grammars[language]();
  primitive.loadLanguageSync(grammar);
  // There is no limit of time: whoever asked takes the worker down.
  const options = { lang: grammar.at(-1)!.name, theme: theme.name, tokenizeMaxLineLength: 1000, tokenizeTimeLimit: 0 };
  let before: CodeToTokensBaseOptions['grammarState'];
  for (const part of parts) {
    const lines = codeToTokensBase(primitive, part, before ? { ...options, grammarState: before } : options);
    before = getLastGrammarState(primitive, lines);
    onPart(runsOf(lines));
  }
}

/** Neighbours of one kind become one, over the ends of lines too. */
function runsOf(lines: ThemedToken[][]): Run[] {
  const runs: { kind: Kind; text: string }[] = [];
  const add = (kind: Kind, text: string) => {
    const last = runs.at(-1);
    if (last && (last.kind === kind || text === '\n')) last.text += text;
    else runs.push({ kind, text });
  };
  lines.forEach((line, index) => {
    if (index > 0) add('plain', '\n');
    for (const { content, color } of line) add((color ?? 'plain') as Kind, neutral(content));
  });
  return runs;
}
