import { Alert, Button, Group, Modal, NativeSelect, Radio, Stack, Text, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { inputFields } from '../api/account-fields.js';
import type { ResponseBody } from '../api/client.js';
import { useMailSetUp } from '../api/mail.js';
import { useChange } from '../api/queries.js';
import { useSignInWays } from '../api/sign-in-ways.js';
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

/** Ways for a new person to get access. */
const accessModes = ['invite', 'generated', 'none'] as const;

/**
 * Creates an account: invites its person, shows a password until the user confirms to have saved it, or gives no password.
 */
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

  function onCreated({ user, temporaryPassword }: ResponseBody<'createUser'>, invited: boolean): void {
    if (temporaryPassword === null) {
      notifyDone(t(invited ? 'people.invitation.created' : 'people.created', { name: nameOf(user) }));
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
  /** @param invited whether the person gets an invitation */
  onCreated(response: ResponseBody<'createUser'>, invited: boolean): void;
  onDirty(): void;
  onCancel(): void;
}

function NewPersonForm({ create, isOpen, onCreated, onDirty, onCancel }: NewPersonFormProps) {
  const { t } = useTranslation();
  const isMailSetUp = useMailSetUp();
  const [chosen, setChosen] = useState<string | null>(null);
  const { name: organisation, passwordLogin } = useSignInWays();
  const isPossible = { invite: isMailSetUp, generated: passwordLogin, none: organisation !== null };
  const possible = accessModes.filter((way) => isPossible[way]);
  const usual = passwordLogin ? possible[0] : 'none';
  const credentials = possible.find((way) => way === chosen) ?? usual ?? 'none';
  const invites = credentials === 'invite';
  const hintOf = (way: (typeof accessModes)[number]) =>
    t(way === 'invite' && !passwordLogin ? 'people.access.inviteSignInHint' : `people.access.${way}Hint`);
  const form = useApiForm({
    initialValues: initialPerson,
    async submit({ message, ...person }) {
      const body = { ...person, credentials, ...(invites && { message }) };
      onCreated(await create.mutateAsync({ body }), invites);
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
        {possible.length > 1 && (
          <Radio.Group label={t('people.access.title')} value={credentials} onChange={setChosen}>
            <Stack gap="xs" mt="xs">
              {possible.map((way) => (
                <Radio key={way} value={way} label={t(`people.access.${way}`)} description={hintOf(way)} />
              ))}
            </Stack>
          </Radio.Group>
        )}
        {!isMailSetUp && (
          <Text size="sm" c="dimmed">
            {possible.length > 1 ? '' : `${hintOf(credentials)} `}
            {t('people.access.noMail')}
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
