/** The caller closed the connection before its request was complete: nobody is left to answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection in the middle of its request')
    this.name = 'ClientGone'
  }
}
