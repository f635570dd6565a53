import { Button, Kbd } from '@mantine/core';
import { useDisclosure, useWindowEvent } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { loadTranslations } from '../i18n/i18n.js';
import { lazyDialog } from '../ui/lazy.js';

const FindDialog = lazyDialog(async () => {
  const [{ FindDialog: Dialog }] = await Promise.all([import('./find-dialog.js'), loadTranslations('find')]);
  return Dialog;
}, 'opened');

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

/** Button that opens a dialog to find people, courses and pages. Ctrl-K and Cmd-K open it, and `/` moves to the page's search field. */
export function Find() {
  const { t } = useTranslation();
  const [opened, { open, close }] = useDisclosure();
  const keys = isMac ? '⌘ K' : t('app.findKeys');
  useWindowEvent('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event;
    const isFind = key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey;
    // Shift types the slash on many keyboards.
    const isSlash = key === '/' && !ctrlKey && !metaKey && !altKey && !isTyping(target);
    // A dialog keeps its input.
    if ((!isFind && !isSlash) || document.querySelector('[role="dialog"]')) return;
    event.preventDefault();
    const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
    if (isSlash && field) field.select();
    else open();
  });
  return (
    <>
      <Button
        variant="default"
        size="sm"
        px="xs"
        aria-label={`${t('app.find')} ${keys}`}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        leftSection={<IconSearch size={18} aria-hidden />}
        className="find-button"
        onClick={open}
      >
        {t('app.find')}{' '}
        <Kbd size="xs" ms="xs">
          {keys}
        </Kbd>
      </Button>
      <FindDialog opened={opened} onClose={close} />
    </>
  );
}
