// The languages that are coloured; code in any other is shown plainly.

/** How each is called, and which other words behind a fence mean it. */
const languages = {
  c: ['C', 'h'],
  cpp: ['C++', 'c++', 'cc', 'hpp'],
  csharp: ['C#', 'cs', 'c#'],
  css: ['CSS'],
  diff: ['Diff', 'patch'],
  docker: ['Dockerfile', 'dockerfile'],
  go: ['Go', 'golang'],
  html: ['HTML', 'htm'],
  java: ['Java'],
  javascript: ['JavaScript', 'js', 'jsx', 'mjs'],
  json: ['JSON', 'jsonc', 'json5'],
  kotlin: ['Kotlin', 'kt'],
  lua: ['Lua'],
  make: ['Makefile', 'makefile'],
  markdown: ['Markdown', 'md'],
  php: ['PHP'],
  python: ['Python', 'py', 'python3'],
  rust: ['Rust', 'rs'],
  shellscript: ['Shell', 'sh', 'bash', 'zsh', 'shell', 'console'],
  sql: ['SQL'],
  swift: ['Swift'],
  toml: ['TOML'],
  tsx: ['TSX'],
  typescript: ['TypeScript', 'ts'],
  xml: ['XML', 'svg'],
  yaml: ['YAML', 'yml'],
} as const;

export type Language = keyof typeof languages;

const meant = new Map<string, Language>();
for (const [language, [, ...words]] of Object.entries(languages)) {
  for (const word of [language, ...words]) meant.set(word, language as Language);
}

/** The language that this word behind a fence means. */
export const languageOf = (word: string): Language | undefined => meant.get(word.toLowerCase());

/** How a language is called; what is not known, as it was written. */
export function named(word: string): string {
  const language = languageOf(word);
  return language === undefined ? word : languages[language][0];
}
