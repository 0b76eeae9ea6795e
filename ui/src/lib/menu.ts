/** What a menu offers; null draws a line. */
export type MenuItem = {
  label: string;
  /** The key that does the same where the menu belongs. */
  key?: string;
  run: () => void;
} | null;
