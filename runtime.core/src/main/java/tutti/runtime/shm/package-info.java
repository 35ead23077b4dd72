/** What the ranks of a node that are in one collective show each other of it, in the memory that they share. */
package tutti.runtime.shm;
