import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { inputFields } from '../api/account-fields.js';
import { call, SessionEndedError } from '../api/client.js';
import { type SessionUser, useSession, useUser } from '../session/session.js';
import { AccountInputs, changesBetween, ownAutoComplete, valuesOf } from '../ui/forms/account-inputs.js';
import { useEditForm } from '../ui/forms/edit-form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { TextLink } from '../ui/links.js';

type Values = Pick<SessionUser, (typeof inputFields.profile)[number]>;

/** Name and phone number. @param byMail whether the email is changed by a mailed link: else by a super admin alone; undefined until it is known */
export function AccountForm({ byMail }: { byMail: boolean | undefined }) {
  const { t } = useTranslation();
  const { reread, refresh } = useSession();
  const user = useUser();
  const { id, role, email } = user;

  /** The account as the service has it now. @throws SessionEnded when the session has ended, or is another account's by now */
  async function read(): Promise<SessionUser> {
    const session = await reread();
    if (session?.user.id !== id) throw new SessionEndedError(401);
    return session.user;
  }

  const form = useEditForm({
    source: user,
    valuesOf: (account: Values) => valuesOf(account, inputFields.profile),
    changesOf: changesBetween<Values>,
    labelOf: (name) => t(`field.${name}`),
    // The service leaves empty fields as they are: here that would look as if they were saved.
    validate: (values) =>
      Object.fromEntries(
        Object.entries(values)
          // A person imported without a phone may leave it empty.
          .filter(([name, value]) => value.trim() === '' && Reflect.get(user, name) !== '')
          .map(([name]) => [name, t('profile.account.required')]),
      ),
    read,
    async save(changes) {
      const saved = await call('updateProfile', { body: changes });
      await refresh();
      return saved.user;
    },
  });
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={t('profile.account.title')}>
      <Stack maw={640}>
        <FormFailure>{form.failure}</FormFailure>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <AccountInputs
            names={inputFields.profile}
            field={form.field}
            autoComplete={ownAutoComplete}
            more={{ phone: { required: user.phone !== '' } }}
          />
          <TextInput
            value={email}
            readOnly
            label={t('field.email')}
            description={
              byMail === false && role === 'super_admin' ? (
                <TextLink to="/people/$id" params={{ id }}>
                  {t('profile.account.changeEmail')}
                </TextLink>
              ) : (
                t(byMail === false ? 'profile.account.emailHint' : 'profile.account.emailBelow')
              )
            }
            // Its place is kept until it is known what to say.
            descriptionProps={{ style: { visibility: byMail === undefined ? 'hidden' : 'visible' } }}
            inputWrapperOrder={['label', 'input', 'description']}
          />
        </SimpleGrid>
        <Group>
          <Button type="submit" loading={form.submitting}>
            {t('action.save')}
          </Button>
          {form.isDirty && (
            <Button variant="default" onClick={form.discard} disabled={form.submitting}>
              {t('action.discard')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
