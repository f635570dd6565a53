import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { setToken } from './link-token.js';
import { useRateLimitText } from './rate-limit-text.js';

interface LinkButtonProps {
  /** Uses the link up. */
  onUse(): Promise<void>;
  /** Looks at the link again, when it turns out that it can no longer be used. */
  recheck(): Promise<unknown>;
  label: string;
  /** What the link does. */
  children: ReactNode;
}

/** One button that does what a link is for: opening the link does not, as programs open links, too. */
export function LinkButton({ onUse, recheck, label, children }: LinkButtonProps) {
  const withRateLimitText = useRateLimitText();
  const form = useApiForm({
    initialValues: {},
    async submit() {
      try {
        await onUse();
      } catch (error) {
        if (error instanceof ApiError && error.code === 'LINK_INVALID') await recheck();
        throw withRateLimitText(error);
      }
      setToken('');
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
