/** The client closed the connection before its request was complete: no answer can be sent. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection in the middle of its request')
    this.name = 'ClientGone'
  }
}
