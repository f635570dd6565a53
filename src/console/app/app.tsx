import { DirectionProvider, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../api/queries.js';
import { colorVariables, theme } from '../appearance/theme.js';
import { directionOf } from '../i18n/i18n.js';
import { isPublicPage } from '../links/link-token.js';
import { SessionProvider } from '../session/session.js';
import { lazyPart } from '../ui/lazy.js';
import { PageLoader, SessionGate } from './session-gate.js';

/** Nonce of this page: its content security policy blocks styles created at run time without this nonce. */
const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// react-remove-scroll, which stops the page from scrolling under a dialog, reads the nonce of its style there.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

const PublicPage = lazyPart(async () => (await import('./public-pages.js')).PublicPage, <PageLoader />);

export function App() {
  const { i18n } = useTranslation();
  const [isPublic, setIsPublic] = useState(isPublicPage);
  const direction = directionOf(i18n.language);
  return (
    <DirectionProvider key={direction} initialDirection={direction}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={colorVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => styleNonce}
      >
        <QueryClientProvider client={queryClient}>
          <SessionProvider>
            {isPublic ? <PublicPage onSignedIn={() => setIsPublic(false)} /> : <SessionGate />}
          </SessionProvider>
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  );
}
