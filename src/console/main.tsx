import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { correctBrowserLanguage } from './app/browserLanguage.ts';
import { preloadAddress } from './app/screens.tsx';
import { createUnsaved } from './data/unsaved.ts';
import './design/tokens.css';
import './design/base.css';

correctBrowserLanguage();
preloadAddress(location.pathname);
createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <App unsaved={createUnsaved()} />
  </StrictMode>,
);
