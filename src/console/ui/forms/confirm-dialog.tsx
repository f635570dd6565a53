import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormFailure } from './form-failure.js';
import { useUnsavedGuard } from './unsaved.js';

export interface ConfirmDialogProps {
  opened: boolean;
  onClose(): void;
  title: string;
  /** What the action will do, in whole sentences. */
  children: ReactNode;
  /** The verb of the button; without one, there is nothing to do but to close the dialog. */
  action: string | undefined;
  /** The word of the button that does nothing, where "Cancel" could be taken for the action. */
  dismiss?: string | undefined;
  destructive?: boolean;
  /** Whether something is typed in it, which nothing but its buttons discards unasked then. */
  dirty?: boolean;
  /** Not to be confirmed yet. */
  disabled?: boolean;
  /** Does it; the dialog stays open with the reason when it throws. */
  onConfirm(): Promise<unknown>;
  /** Ends what takes long, once it has begun. */
  stop?: { action: string; onStop(): void } | undefined;
}

/** The one dialog for "really?": says what will happen, does it once, and shows why it failed. */
export function ConfirmDialog({
  opened,
  onClose,
  title,
  children,
  action,
  dismiss,
  destructive = false,
  dirty = false,
  disabled = false,
  onConfirm,
  stop,
}: ConfirmDialogProps) {
  const { t } = useTranslation();
  const [working, setWorking] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  useUnsavedGuard(opened && dirty);
  useEffect(() => {
    if (opened) setFailure(undefined);
  }, [opened]);

  const dismissal = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that had the focus is gone.
    if (action === undefined && !working) dismissal.current?.focus();
  }, [action, working]);

  async function confirm(): Promise<void> {
    setWorking(true);
    setFailure(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setWorking(false);
    }
  }

  return (
    <Modal
      opened={opened}
      onClose={working ? () => undefined : onClose}
      closeOnClickOutside={!dirty}
      closeOnEscape={!dirty}
      title={title}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <Stack>
        <FormFailure>{failure}</FormFailure>
        <div>{children}</div>
        <Group justify="flex-end">
          {working && stop ? (
            <Button variant="default" onClick={stop.onStop}>
              {stop.action}
            </Button>
          ) : (
            <Button variant="default" onClick={onClose} disabled={working} data-autofocus ref={dismissal}>
              {dismiss ?? t('action.cancel')}
            </Button>
          )}
          {action !== undefined && (
            <Button
              color={destructive ? 'red.9' : 'teal'}
              loading={working}
              disabled={disabled}
              onClick={() => void confirm()}
            >
              {action}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
