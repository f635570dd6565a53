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

/** Link to a page of the console, within text. */
export const TextLink = createLink(PlainLink);

/** Link to a page of the console, with the look of a button. */
export const ButtonLink = createLink(PlainButtonLink);
