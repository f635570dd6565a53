import { Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Time } from '../ui/time.js';
import { Actor, Target } from './audit-objects.js';
import { ChangeTable } from './change-table.js';
import { type AuditEntry, changedFields } from './changes.js';

interface AuditDialogProps {
  /** The dialog is open while there is an entry. */
  entry: AuditEntry | undefined;
  onClose(): void;
}

export function AuditDialog({ entry, onClose }: AuditDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={entry !== undefined}
      onClose={onClose}
      size="xl"
      title={entry && t(`audit.action.${entry.action}`)}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {entry && <Details entry={entry} />}
    </Modal>
  );
}

function Details({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <Text size="sm" component="div">
        <Time at={entry.at} /> · <Actor entry={entry} /> · <Target entry={entry} />
        {entry.ip !== null && (
          <>
            {' '}
            · <bdi>{entry.ip}</bdi>
          </>
        )}
      </Text>
      {changedFields(entry).length === 0 ? <Text>{t('audit.noFields')}</Text> : <ChangeTable entry={entry} />}
    </Stack>
  );
}
