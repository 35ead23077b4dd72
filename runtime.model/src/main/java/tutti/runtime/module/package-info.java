/**
 * The modules of nodes: what a node offers, and what the nodes of a job agree on.
 *
 * <pre>{@code
 * NodeModules (service of a node) -> Catalogue (ModuleId...)
 * Catalogue of each node -> AgreedModules -> ModuleId..., ExcludedModule...
 * job -> PlanProver (of the daemon) -> QuarantinedModule -> Catalogue
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.module;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
