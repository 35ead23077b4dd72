/** What clients and nodes say to each other: messages, frames, flow control. Not exported. */
package tutti.daemon.protocol;
