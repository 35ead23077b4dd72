/**
 * Test support for other bundles and for authors of modules, shipped as the test-jar: ranks in one JVM, and the contract of the collectives. The
 * assertions are those of JUnit 5.
 */
package tutti.runtime;
