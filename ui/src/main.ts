import './locale-guard';
import { mount } from 'svelte';
import './app.css';
import App from './App.svelte';
import type { Backend } from './lib/backend/backend';

// In mode "mock" a scripted backend stands in for the Rust side; the normal build drops that branch.
const backend: Backend =
  import.meta.env.MODE === 'mock'
    ? (await import('../scripted/demo')).demo()
    : (await import('./lib/backend/tauri')).tauri;

mount(App, { target: document.getElementById('app')!, props: { backend } });
