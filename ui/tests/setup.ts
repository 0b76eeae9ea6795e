import '@testing-library/jest-dom/vitest';
import { configure } from '@testing-library/svelte';

// A loaded machine is slow, not wrong.
configure({ asyncUtilTimeout: 10_000 });
