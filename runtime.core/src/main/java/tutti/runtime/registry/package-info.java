/**
 * The registry of the modules of this node, and the leases by which jobs hold them.
 *
 * <pre>{@code
 * CollModule (service) -> ModuleRegistry (NodeModules, ModuleProvider) -> Lease -> OfferedModule
 * }</pre>
 */
@NullMarked
package tutti.runtime.registry;

import org.jspecify.annotations.NullMarked;
