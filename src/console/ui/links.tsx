import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

type LinkProps = Omit<ComponentProps<'a'>, 'color'>;

function PlainLink(props: AnchorProps & LinkProps) {
  return <Anchor inherit={props.size === undefined} {...props} />;
}

function PlainButtonLink(props: ButtonProps & LinkProps) {
  return <Button component="a" {...props} />;
}

/** A link to a page of the console, within text. */
export const TextLink = createLink(PlainLink);

/** A link to a page of the console that looks like a button. */
export const ButtonLink = createLink(PlainButtonLink);
