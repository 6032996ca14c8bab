// The element-wise updates of Brandes' two phases, each written once: inlined by the fused products,
// and wrapped as ElementwiseKernels for the reference engine.
#pragma once

// sigma<fresh> = paths
template <class Real>
__device__ __forceinline__ void sigma_update(bool fresh, Real paths, Real &sigma) {
    if (fresh) sigma = paths;
}

// delta<here> = sigma .* below;  g<here> = (omega + delta) ./ sigma, in sigma's place
template <class Real, class Share>
__device__ __forceinline__ void delta_update(bool here, Real below, Share omega, Real &sigma,
                                             Share &delta) {
    delta = here ? sigma * below : Share(0);
    if (here) sigma = (omega + delta) / sigma;
}

// passing<here> = sigma .* beyond;  h<here> = omega + beyond, in a place that may be sigma's
template <class Real, class Share>
__device__ __forceinline__ void stress_update(bool here, Real beyond, Share omega, const Real &sigma,
                                              Real &h, Share &passing) {
    passing = here ? sigma * beyond : Share(0);
    if (here) h = omega + beyond;
}
