import type { Model, Source } from '../backend/backend';

function parts(folder: string): string[] {
  return folder.split(/[\\/]+/).filter((part) => part !== '');
}

/** A commit as people write it. */
export function short(commit: string): string {
  return commit.slice(0, 7);
}

/** Where a model's files come from. */
export const origins: Record<Source, string> = {
  folder: 'folder',
  downloaded: 'downloaded',
  huggingFaceCache: 'Hugging Face cache',
  lmStudio: 'LM Studio',
};

/** The last part of the repo's name or else of the folder, with its parent in front where two models would read the same. One has none. */
export function namesOf(models: readonly Model[]): Map<string, string> {
  const last = ({ folder, repo }: Model) => (folder === null ? 'Lookup (no model)' : (parts(repo ?? folder).at(-1) ?? folder));
  const names = new Map<string, string>();
  for (const model of models) {
    const twin = models.some((other) => other.id !== model.id && other.role === model.role && last(other) === last(model));
    names.set(model.id, twin && model.folder !== null ? parts(model.repo ?? model.folder).slice(-2).join('/') : last(model));
  }
  return names;
}
