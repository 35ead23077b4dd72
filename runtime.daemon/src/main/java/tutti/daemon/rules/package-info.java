/** Tables of rules as files. */
package tutti.daemon.rules;
