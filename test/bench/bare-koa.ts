import Koa from 'koa'

/** A bare Koa route that answers the bytes it is given on standard input: what an HTTP answer costs at the least. */
const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
const body = Buffer.concat(chunks)
const app = new Koa()
app.use(async (context) => {
  // A request body is read, as any route that takes one must.
  for await (const _ of context.req);
  context.type = 'application/json'
  context.body = body
})
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') console.log(`ready at http://127.0.0.1:${address.port}`)
})
