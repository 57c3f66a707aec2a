// The official client for JavaScript uses an agent, by both bindings.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client'
import { Role, TaskState } from '@a2a-js/sdk'

const url = process.argv[2]
const say = (text, fields = {}) => ({
  tenant: '', metadata: undefined, configuration: undefined,
  message: {
    messageId: randomUUID(), role: Role.ROLE_USER, contextId: '', taskId: '', extensions: [], referenceTaskIds: [], metadata: undefined,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' }], ...fields,
  },
})
const texts = (task) => task.artifacts.map((artifact) => artifact.parts.map((part) => part.content.value).join(''))

for (const transport of [new JsonRpcTransportFactory(), new RestTransportFactory()]) {
  const client = await new ClientFactory({ ...ClientFactoryOptions.default, transports: [transport] }).createFromUrl(url)
  const task = await client.sendMessage(say('hello agent'))
  assert.equal(task.status.state, TaskState.TASK_STATE_COMPLETED)
  assert.deepEqual(texts(task), ['You said: hello agent'])

  const kinds = []
  let said = ''
  for await (const event of client.sendMessageStream(say('and again', { contextId: task.contextId }))) {
    kinds.push(event.payload.$case)
    if (event.payload.$case === 'artifactUpdate') said += event.payload.value.artifact.parts[0].content.value
  }
  assert.equal(kinds[0], 'task')
  assert.equal(kinds.at(-1), 'statusUpdate')
  assert.equal(said, 'You said: and again')

  const asked = await client.sendMessage(say('write it'))
  assert.equal(asked.status.state, TaskState.TASK_STATE_INPUT_REQUIRED)
  const done = await client.sendMessage(say('approve', { taskId: asked.id, contextId: asked.contextId }))
  assert.equal(done.id, asked.id)
  assert.equal(texts(done).at(-1), 'The tool said: wrote it')
  assert.deepEqual(texts(await client.getTask({ tenant: '', id: asked.id, historyLength: undefined })), texts(done))
  await assert.rejects(client.getTask({ tenant: '', id: 'nobody', historyLength: undefined }), /no task/)
  const cancelled = await client.sendMessage(say('write it'))
  const after = await client.cancelTask({ tenant: '', id: cancelled.id, metadata: undefined })
  assert.equal(after.status.state, TaskState.TASK_STATE_CANCELED)
  console.log('talked by', transport.protocolName)
}
console.log('all done')
