import { Alert, Button, Group, Modal, NativeSelect, Radio, Stack, Text, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { inputFields } from '../api/account-fields.js';
import type { ResponseBody } from '../api/client.js';
import { useMailSetUp } from '../api/mail.js';
import { useChange } from '../api/queries.js';
import { CopyField } from '../ui/copy-field.js';
import { AccountInputs } from '../ui/forms/account-inputs.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { ButtonLink } from '../ui/links.js';
import { notifyDone } from '../ui/notify.js';
import { nameOf } from '../ui/person-name.js';
import { InvitationMessage } from './invitation-message.js';
import { useShownOnceGuard } from './shown-once.js';

const textFields = inputFields.create.filter((name) => name !== 'role');
// `Object.fromEntries` loses the types of the keys.
const emptyTexts = Object.fromEntries(textFields.map((name) => [name, ''])) as Record<
  (typeof textFields)[number],
  string
>;
/** Initial values of the form. @public used by a test of all fields */
export const initialPerson = { ...emptyTexts, role: 'trainee' as 'trainee' | 'trainer', message: '' };
/** Gives an input the focus when a dialog opens. */
const autoFocus = { 'data-autofocus': true } as TextInputProps;

type Created = ResponseBody<'createUser'>['user'] & { password: string };

interface NewPersonDialogProps {
  opened: boolean;
  onClose(): void;
}

/** Creates an account, and either invites its person or shows a password until the user confirms to have saved it. */
export function NewPersonDialog({ opened, onClose }: NewPersonDialogProps) {
  const { t } = useTranslation();
  const create = useChange('createUser');
  const [created, setCreated] = useState<Created>();
  const [dirty, setDirty] = useState(false);
  const awaitsPassword = create.isPending && create.variables.body.credentials === 'generated';
  useShownOnceGuard(opened && (awaitsPassword || created !== undefined));

  function close(): void {
    setCreated(undefined);
    setDirty(false);
    onClose();
  }

  function onCreated({ user, temporaryPassword }: ResponseBody<'createUser'>): void {
    if (temporaryPassword === null) {
      notifyDone(t('people.invitation.created', { name: nameOf(user) }));
      close();
    } else setCreated({ ...user, password: temporaryPassword });
  }

  const isDismissible = !dirty && !created;
  return (
    <Modal
      opened={opened}
      onClose={close}
      closeOnClickOutside={isDismissible}
      closeOnEscape={isDismissible}
      withCloseButton={!created}
      title={created ? t('people.created', { name: nameOf(created) }) : t('people.create')}
      // Closing would hide the password that is about to arrive.
      closeButtonProps={{ 'aria-label': t('action.close'), disabled: create.isPending }}
    >
      {created ? (
        <CreatedPerson person={created} onClose={close} />
      ) : (
        <NewPersonForm
          create={create}
          isOpen={opened}
          onCreated={onCreated}
          onDirty={() => setDirty(true)}
          onCancel={close}
        />
      )}
    </Modal>
  );
}

function CreatedPerson({ person, onClose }: { person: Created; onClose(): void }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Alert color="teal" variant="light" role="status">
        {t('people.shownOnce')}
      </Alert>
      <CopyField label={t('field.email')} value={person.email} />
      <CopyField label={t('field.password')} value={person.password} />
      <Group justify="flex-end">
        <ButtonLink to="/people/$id" params={{ id: person.id }} variant="default" ignoreBlocker onClick={onClose}>
          {t('people.openPerson')}
        </ButtonLink>
        <Button onClick={onClose}>{t('people.savedPassword')}</Button>
      </Group>
    </Stack>
  );
}

interface NewPersonFormProps {
  isOpen: boolean;
  create: ReturnType<typeof useChange<'createUser'>>;
  onCreated(response: ResponseBody<'createUser'>): void;
  onDirty(): void;
  onCancel(): void;
}

function NewPersonForm({ create, isOpen, onCreated, onDirty, onCancel }: NewPersonFormProps) {
  const { t } = useTranslation();
  const isMailSetUp = useMailSetUp();
  const [chosen, setChosen] = useState<string>();
  const invites = isMailSetUp && chosen !== 'generated';
  const form = useApiForm({
    initialValues: initialPerson,
    async submit({ message, ...person }) {
      const credentials = invites ? 'invite' : 'generated';
      onCreated(await create.mutateAsync({ body: { ...person, credentials, ...(invites && { message }) } }));
    },
  });
  useUnsavedGuard(
    isOpen && form.isDirty && !create.isPending,
    form.changed.map((name) => t(name === 'message' ? 'people.invitation.message' : `field.${name}`)),
  );
  return (
    <form onSubmit={form.onSubmit} onChange={onDirty} noValidate>
      <Stack>
        <FormFailure>{form.failure}</FormFailure>
        <AccountInputs
          names={textFields}
          field={form.field}
          more={{ firstName: autoFocus, phone: { required: false, description: t('people.phoneOptional') } }}
        />
        <NativeSelect
          {...form.field('role')}
          label={t('field.role')}
          data={(['trainee', 'trainer'] as const).map((role) => ({ value: role, label: t(`role.${role}`) }))}
        />
        {isMailSetUp ? (
          <Radio.Group label={t('people.access.title')} value={invites ? 'invite' : 'generated'} onChange={setChosen}>
            <Stack gap="xs" mt="xs">
              {(['invite', 'generated'] as const).map((way) => (
                <Radio
                  key={way}
                  value={way}
                  label={t(`people.access.${way}`)}
                  description={t(`people.access.${way}Hint`)}
                />
              ))}
            </Stack>
          </Radio.Group>
        ) : (
          <Text size="sm" c="dimmed">
            {t('people.access.generatedHint')} {t('people.access.noMail')}
          </Text>
        )}
        {invites && <InvitationMessage {...form.field('message')} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel} disabled={form.submitting}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" loading={form.submitting}>
            {t(invites ? 'people.access.submit' : 'action.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
