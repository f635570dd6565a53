import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi, useChange } from '../api/queries.js';
import { CopyField } from '../ui/copy-field.js';
import { Facts } from '../ui/facts.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { notifyDone } from '../ui/notify.js';
import { Loaded } from '../ui/states.js';
import { Time } from '../ui/time.js';

/** Private address of the user's calendar: shown once, when it is created; can be replaced and revoked. */
export function Calendar() {
  const { t } = useTranslation();
  const query = useApi('showCalendar', {});
  const create = useChange('createCalendar', ['showCalendar']);
  const revoke = useChange('revokeCalendar', ['showCalendar']);
  const [replacing, setReplacing] = useState(false);
  const [revoking, setRevoking] = useState(false);
  const url = create.data && new URL(create.data.url, window.location.origin).href;
  return (
    <Stack maw={640}>
      <Text size="sm">{t('profile.calendar.hint')}</Text>
      {!replacing && <FormFailure>{create.error ?? undefined}</FormFailure>}
      <div role="status">
        {url !== undefined && (
          <Alert color="teal" variant="light" title={t('profile.calendar.shownOnce')}>
            <CopyField label={t('profile.calendar.address')} value={url} />
          </Alert>
        )}
      </div>
      <Loaded query={query} lines={2}>
        {({ createdAt, lastUsedAt }) =>
          createdAt === null ? (
            <Group>
              <Button loading={create.isPending} onClick={() => create.mutate({})}>
                {t('profile.calendar.create')}
              </Button>
            </Group>
          ) : (
            <>
              <Facts
                facts={[
                  [t('profile.calendar.createdAt'), <Time key="createdAt" at={createdAt} />],
                  [
                    t('profile.calendar.lastUsedAt'),
                    lastUsedAt === null ? (
                      t('profile.calendar.unused')
                    ) : (
                      <Time key="lastUsedAt" at={lastUsedAt} relative />
                    ),
                  ],
                ]}
              />
              <Group>
                <Button variant="default" onClick={() => setReplacing(true)}>
                  {t('profile.calendar.replace')}
                </Button>
                <Button variant="default" onClick={() => setRevoking(true)}>
                  {t('profile.calendar.revoke')}
                </Button>
              </Group>
            </>
          )
        }
      </Loaded>
      <ConfirmDialog
        opened={replacing}
        onClose={() => setReplacing(false)}
        title={t('profile.calendar.replaceTitle')}
        action={t('profile.calendar.replace')}
        destructive
        onConfirm={() => create.mutateAsync({})}
      >
        {t('profile.calendar.replaceHint')}
      </ConfirmDialog>
      <ConfirmDialog
        opened={revoking}
        onClose={() => setRevoking(false)}
        title={t('profile.calendar.revokeTitle')}
        action={t('profile.calendar.revoke')}
        destructive
        onConfirm={async () => {
          await revoke.mutateAsync({});
          create.reset();
          notifyDone(t('profile.calendar.revoked'));
        }}
      >
        {t('profile.calendar.revokeHint')}
      </ConfirmDialog>
    </Stack>
  );
}
