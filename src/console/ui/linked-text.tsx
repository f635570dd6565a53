import { Anchor } from '@mantine/core';
import { linkParts } from './link-parts.js';

/** Text as its author typed it; its addresses are links. Everything else stays text. */
export function LinkedText({ text }: { text: string }) {
  return linkParts(text).map(({ text: shown, href }, index) =>
    href === undefined ? (
      shown
    ) : (
      <Anchor
        // biome-ignore lint/suspicious/noArrayIndexKey: an address may occur twice, and parts never move
        key={index}
        href={href}
        inherit
        underline="always"
        rel="noopener noreferrer"
        {...(!href.startsWith('mailto:') && { target: '_blank' })}
      >
        {shown}
      </Anchor>
    ),
  );
}
