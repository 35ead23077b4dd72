/** Links over TCP with Apache MINA. Nothing here is exported, and no MINA type leaves the bundle. */
package tutti.runtime.transport.mina;
