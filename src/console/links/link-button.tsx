import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useLimitText } from './limit-text.js';
import { keepToken } from './link-token.js';

interface LinkButtonProps {
  /** Uses the link up. */
  use(): Promise<void>;
  /** Looks at the link again, when it turns out that it can no longer be used. */
  recheck(): Promise<unknown>;
  label: string;
  /** What the link does. */
  children: ReactNode;
}

/** One button that does what a link is for: opening the link does not, as programs open links, too. */
export function LinkButton({ use, recheck, label, children }: LinkButtonProps) {
  const inWords = useLimitText();
  const form = useApiForm({
    initialValues: {},
    async submit() {
      try {
        await use();
      } catch (error) {
        if (error instanceof ApiError && error.code === 'LINK_INVALID') await recheck();
        throw inWords(error);
      }
      keepToken('');
    },
  });
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack>
        <FormFailure>{form.failure}</FormFailure>
        {children}
        <Button type="submit" loading={form.submitting}>
          {label}
        </Button>
      </Stack>
    </form>
  );
}
