import { DirectionProvider, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../api/queries.js';
import { colorVariables, theme } from '../appearance/theme.js';
import { directionOf } from '../i18n/i18n.js';
import { SessionProvider } from '../session/session.js';
import { SessionGate } from './session-gate.js';

/** The nonce of this page, with which styles that are made at run time are let through by its policy. */
const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// The library that keeps the page from scrolling under an open dialog looks for the nonce of its style there.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

export function App() {
  const { i18n } = useTranslation();
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
            <SessionGate />
          </SessionProvider>
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  );
}
