import { List, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../api/queries.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { notifyDone } from '../ui/notify.js';

interface UndoDialogProps {
  id: string;
  opened: boolean;
  onClose(): void;
}

/** Maximum of kept accounts that are listed; the others are only counted. */
const maxNamedAccounts = 10;

export function UndoDialog({ id, opened, onClose }: UndoDialogProps) {
  const { t } = useTranslation();
  const { mutate: loadPreview, data, error } = useChange('undoImport', []);
  const undo = useChange('undoImport');
  useEffect(() => {
    if (opened) loadPreview({ path: { id }, query: { dryRun: true } });
  }, [opened, id, loadPreview]);
  const preview = data?.undo;

  async function confirm(): Promise<void> {
    const { removed, restored, kept } = (await undo.mutateAsync({ path: { id } })).undo;
    // An account that somebody deleted needs no undo.
    const isWhole = kept.every(({ code }) => code === 'GONE');
    notifyDone(
      t(
        isWhole
          ? 'imports.result.undone'
          : removed + restored > 0
            ? 'imports.result.undonePart'
            : 'imports.result.undoneNothing',
      ),
    );
  }

  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('imports.result.undoTitle')}
      action={t('imports.result.undo')}
      destructive
      disabled={!preview}
      onConfirm={confirm}
    >
      <FormFailure>{error ?? undefined}</FormFailure>
      {!preview && !error && <Text role="status">{t('imports.result.undoLoading')}</Text>}
      {preview && (
        <>
          <List>
            <List.Item>{t('imports.result.undoneRemoved', { count: preview.removed })}</List.Item>
            {preview.restored > 0 && (
              <List.Item>{t('imports.result.undoneRestored', { count: preview.restored })}</List.Item>
            )}
            {preview.mailsSent > 0 && (
              <List.Item>{t('imports.result.undoneSent', { count: preview.mailsSent })}</List.Item>
            )}
            {preview.kept.length > 0 && (
              <List.Item>{t('imports.result.undoneKept', { count: preview.kept.length })}</List.Item>
            )}
          </List>
          {preview.kept.length > 0 && (
            <>
              <Text size="sm" fw={600} mt="sm">
                {t('imports.result.keptList')}
              </Text>
              <List size="sm">
                {preview.kept.slice(0, maxNamedAccounts).map(({ line, email, code }) => (
                  <List.Item key={line ?? email}>
                    {email ??
                      (line === null
                        ? t('imports.roster.memberWhoLeft')
                        : t('imports.plan.line', { line: String(line) }))}
                    : {t(`imports.result.kept.${code}`)}
                  </List.Item>
                ))}
              </List>
              {preview.kept.length > maxNamedAccounts && '…'}
            </>
          )}
        </>
      )}
    </ConfirmDialog>
  );
}
